export { isPublic, parseRange, type AddressRange } from './addresses';
export { OutboundError, type OutboundFailure } from './errors';
export { UnknownName, type Lookup } from './lookup';
export {
  Outbound,
  type OpenAnswer,
  type OutboundAnswer,
  type OutboundOptions,
  type OutboundRequest,
} from './outbound';
export { outboundEnvironment } from './settings';
export { hostOf, parseTarget } from './target';
