export {
  createObjectStore,
  ObjectStore,
  type ByteRange,
  type ObjectInfo,
  type ObjectVersion,
} from './object-store';
export type { ObjectStoreSettings } from './connection';
export { objectStoreSettings } from './settings';
export type { ClientPart } from './client-upload';
export type { PutOptions, StoredObject } from './upload';
export {
  ObjectNotFound,
  ObjectStoreError,
  ObjectTooLarge,
  RangeOutsideObject,
  StoreUnavailable,
  WrongRegion,
} from './errors';
export { ObjectStoreModule } from './object-store.module';
