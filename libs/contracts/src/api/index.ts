export * from './accounts';
export * from './billing';
export * from './deletions';
export * from './jobs';
export * from './primitives';
export * from './webhooks';
export * from './uploads';
