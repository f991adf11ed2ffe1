export * from './accounts';
export * from './billing';
export * from './jobs';
export * from './primitives';
