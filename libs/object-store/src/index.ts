export { createObjectStore, ObjectStore, type ByteRange, type ObjectInfo } from './object-store';
export type { ObjectStoreSettings } from './connection';
export { objectStoreSettings } from './settings';
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
