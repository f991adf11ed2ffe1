// Everything that `npm start`, `npm test`, `npm run admin`, `bench` and `test:faults` need before TypeScript can run: packages,
// a build, and the Node of the repository. Plain JavaScript for whatever Node the machine has, without a dependency.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { watchStarter } from './watch-starter.mjs';

/** Something that the person at the keyboard can put right: printed without a stack. */
class Sentence extends Error {}

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const [command = 'start', ...args] = process.argv.slice(2);
const node = join(root, 'node_modules', 'node', 'bin', 'node');
const state = join(root, '.currawong');
const programs = {
  start: 'tools/start/dist/start.js',
  test: 'tools/start/dist/test.js',
  admin: 'apps/admin/dist/main.js',
  bench: 'bench/dist/main.js',
  'test:faults': 'tools/faults/dist/main.js',
};
// The answer of the admin command is read by programs: nothing else may appear on its standard output.
const screen = command === 'admin' ? process.stderr : process.stdout;

let running;
let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    stopping = true;
    if (running) running.kill(signal);
    else process.exit(128 + constants.signals[signal]);
  });
}
watchStarter(() => {
  stopping = true;
  if (running) running.kill('SIGTERM');
  else process.exit(1);
});

try {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 10)) {
    throw new Sentence(
      `Node 20.10 or newer is needed to start; this is ${process.versions.node}: install one from https://nodejs.org`,
    );
  }
  if (!programs[command])
    throw new Sentence(`Unknown command ${command}: one of ${Object.keys(programs).join(', ')}.`);
  mkdirSync(state, { recursive: true });
  await alone(async () => {
    await step('Packages', packagesAreCurrent, installPackages);
    await step('Build', buildIsCurrent, build);
  });
  process.exitCode = await runProgram();
} catch (error) {
  if (!(error instanceof Sentence)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function runProgram() {
  const program = join(root, programs[command]);
  if (!existsSync(program)) {
    throw new Sentence(
      `npm run ${command} has nothing to run: ${programs[command]} is not part of this version.`,
    );
  }
  const env = { ...repositoryNode(), ...(command === 'admin' ? runningPlatform() : {}) };
  // The channel tells the program when this process is gone, however it went.
  const stdio = ['inherit', 'inherit', 'inherit', ...(command === 'admin' ? [] : ['ipc'])];
  return run(node, ['--enable-source-maps', program, ...args], { env, stdio, cwd: root });
}

/** The addresses of the platform that runs from this repository, unless the environment names others. */
function runningPlatform() {
  try {
    const ready = JSON.parse(
      readFileSync(join(process.env.CURRAWONG_DATA_FOLDER ?? state, 'ready.json'), 'utf8'),
    );
    return { NATS_URL: ready.nats_url, DATABASE_URL: ready.database_url, ...repositoryNode() };
  } catch {
    if (process.env.NATS_URL) return {};
    throw new Sentence(
      'The platform is not running: start it with npm start in another terminal, or set NATS_URL.',
    );
  }
}

function repositoryNode() {
  const folders = [dirname(node), join(root, 'node_modules', '.bin'), process.env.PATH ?? ''];
  return { ...process.env, PATH: folders.join(delimiter) };
}

// ---- packages

function packagesDigest() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const path of [
    'package.json',
    'package-lock.json',
    ...projects().map((project) => join(project, 'package.json')),
  ]) {
    if (existsSync(join(root, path))) hash.update(path).update(readFileSync(join(root, path)));
  }
  return hash.digest('hex');
}

function packagesAreCurrent() {
  return existsSync(node) && readStamp(join(root, 'node_modules', '.currawong-stamp')) === packagesDigest();
}

async function installPackages() {
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const install = async (verb) => {
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
    return capture(npm[0], [...npm.slice(1), verb, ...quiet, '--include=dev', '--include=optional'], {
      cwd: root,
      env: plainEnvironment(),
    });
  };
  // `npm ci` starts from nothing: right for a fresh clone, slow for a changed line. It also refuses a lock file that
  // lacks the binaries of other platforms, which `npm install` takes.
  const fresh = !existsSync(join(root, 'node_modules')) && existsSync(join(root, 'package-lock.json'));
  let result = await install(fresh ? 'ci' : 'install');
  if (result.code !== 0 && fresh && !stopping) result = await install('install');
  if (result.code === 0 && !existsSync(node)) {
    // Where scripts of packages are switched off, the one that fetches Node has not run.
    result = await capture(npm[0], [...npm.slice(1), 'rebuild', 'node', '--ignore-scripts=false'], {
      cwd: root,
      env: plainEnvironment(),
    });
  }
  if (result.code !== 0 || !existsSync(node)) {
    throw new Sentence(
      `npm could not install the packages; check the network connection and try again:\n${tail(result.text)}`,
    );
  }
  writeFileSync(join(root, 'node_modules', '.currawong-stamp'), packagesDigest());
}

/** A machine set to production would otherwise leave out what builds and tests. */
function plainEnvironment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => name !== 'NODE_ENV'));
}

// ---- build

function projects() {
  return ['apps', 'libs', 'tools']
    .flatMap((group) => list(join(root, group)).map((name) => join(group, name)))
    .concat(['bench'])
    .filter((project) => existsSync(join(root, project, 'package.json')));
}

function sourcesDigest() {
  const hash = createHash('sha256');
  const add = (path) =>
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(root, path)));
  for (const path of ['.swcrc', 'nx.json', 'package-lock.json']) if (existsSync(join(root, path))) add(path);
  for (const project of projects()) {
    add(join(project, 'package.json'));
    for (const path of files(project)) add(path);
  }
  return hash.digest('hex');
}

/** What a build can depend on; everything that it writes lies in dist. */
function files(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return ['dist', 'node_modules', '.nx'].includes(entry.name) ? [] : files(path);
      return entry.isFile() ? [path] : [];
    });
}

function buildIsCurrent() {
  return (
    projects().every((project) => !buildsItself(project) || existsSync(join(root, project, 'dist'))) &&
    readStamp(join(state, 'build.stamp')) === sourcesDigest()
  );
}

function buildsItself(project) {
  const { scripts = {} } = JSON.parse(readFileSync(join(root, project, 'package.json'), 'utf8'));
  return (
    'build' in scripts && existsSync(join(root, project, 'src')) && files(join(project, 'src')).length > 0
  );
}

async function build() {
  // Taken first: a file that is saved during the build is built again next time.
  const digest = sourcesDigest();
  const nx = join(root, 'node_modules', 'nx', 'package.json');
  const bin = JSON.parse(readFileSync(nx, 'utf8')).bin;
  const program = join(dirname(nx), typeof bin === 'string' ? bin : bin.nx);
  const names = projects()
    .filter(buildsItself)
    .map((project) => JSON.parse(readFileSync(join(root, project, 'package.json'), 'utf8')).name);
  const options = ['run-many', '-t', 'build', `--projects=${names.join(',')}`, '--outputStyle=static'];
  const env = { ...repositoryNode(), NX_DAEMON: 'false', NX_TUI: 'false', FORCE_COLOR: '0' };
  const result = await capture(node, [program, ...options], { cwd: root, env });
  if (result.code !== 0) throw new Sentence(`The build failed:\n${tail(result.text, 40)}`);
  writeFileSync(join(state, 'build.stamp'), digest);
}

// ---- small things

/** Shows a step with its time; one that has nothing to do is not worth a line. */
async function step(name, isCurrent, work) {
  if (isCurrent()) return;
  const began = Date.now();
  const seconds = () => ((Date.now() - began) / 1000).toFixed(1);
  const live = screen.isTTY && setInterval(() => screen.write(`\r  ${name} … ${seconds()} s `), 200);
  if (!live) screen.write(`  ${name} …\n`);
  try {
    await work();
  } finally {
    if (live) clearInterval(live);
    if (live) screen.write('\r\x1b[K');
  }
  screen.write(`✓ ${name} (${seconds()} s)\n`);
}

/** Two commands at once must not install into the same folder: the second one waits for the first. */
async function alone(work) {
  const lock = join(state, 'setup.lock');
  for (let told = false; ;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      const holder = Number(readStamp(lock));
      const abandoned =
        holder > 0
          ? !isAlive(holder)
          : Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0) > 2000;
      if (abandoned) rmSync(lock, { force: true });
      else if (!told)
        screen.write(`Waiting for another command that is setting up (process ${holder}, ${lock}) …\n`);
      told = true;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  try {
    await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Runs to the end; gives the exit code that a shell would give. */
function run(program, programArgs, options) {
  return new Promise((resolve, reject) => {
    running = spawn(program, programArgs, options);
    running.once('error', reject);
    running.once('exit', (code, signal) => {
      running = undefined;
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}

async function capture(program, programArgs, options) {
  let text = '';
  const stdio = ['ignore', 'pipe', 'pipe'];
  const ended = run(program, programArgs, { ...options, stdio });
  for (const stream of [running?.stdout, running?.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk) => (text += chunk));
  }
  const code = await ended.catch((error) => {
    text += error.message;
    return 127;
  });
  if (stopping) process.exit(130);
  return { code, text };
}

function readStamp(path) {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : undefined;
}

function list(folder) {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

function tail(text, lines = 15) {
  return text.trim().split('\n').slice(-lines).join('\n');
}
