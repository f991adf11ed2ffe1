export { SetupError } from './setup-error';
export { readJson, writeJsonAtomic } from './files';
export { isPortFree, pickPorts } from './ports';
export { claim, type Claim } from './processes/claim';
export { identify, isRunning, type ProcessIdentity } from './processes/identity';
export { Keeper } from './processes/keeper';
export { type Embedded } from './servers/server-context';
export { startNats } from './servers/nats';
export { startPostgres } from './servers/postgres';
export { choosePostgresHome, giveTo, postgresOwner } from './servers/postgres-home';
export { ensureBucket, type ObjectStoreAddress, objectStoreClient } from './servers/object-store';
export { dropRoles, isSuperuser, makeRoles, serviceUrls, type ServiceUrls } from './servers/service-roles';
export {
  type ReportStep,
  type ServerName,
  type Servers,
  type ServersOptions,
  startServers,
} from './servers/start-servers';
export { platformEnvironment } from './services/service-environment';
export {
  allServices,
  defaultServices,
  type Services,
  type ServicesOptions,
  startServices,
} from './services/start-services';
export { forgetData, loadSettings } from './settings';
export { chromiumRemedy, ensureChromium, findChromium } from './tooling/chromium';
export { findOnPath, runCommand, tail } from './tooling/commands';
export { ensureGoProgram, findGoProgram, type GoProgram, helm, kubeconform } from './tooling/go-programs';
export { ensurePrometheus, findPrometheus, type Prometheus, prometheusRemedy } from './tooling/prometheus';
export { ensureVenv, type Venv } from './tooling/python';
export { prepareTools, type Tools } from './tooling/tools';
