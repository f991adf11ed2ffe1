export {
  ConfigurationError,
  EX_CONFIG,
  loadConfiguration,
  parseEnvironment,
  type Environment,
} from './parse-environment';
export { booleanVariable, integerVariable, portVariable, secondsVariable, urlVariable } from './variables';
export {
  AUSTRALIAN_REGIONS,
  databaseEnvironment,
  natsEnvironment,
  serviceEnvironment,
  storeEnvironment,
  storeSettingsTogether,
  type AustralianRegion,
} from './environments';
