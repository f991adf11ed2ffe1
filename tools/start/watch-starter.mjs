// npm passes signals on, but a killed npm passes on nothing: whoever it had started would run for ever. So what runs
// under npm looks, once a second, whether npm is still there.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Calls back once when the npm above this process is gone. Without an npm above, it watches nothing. */
export function watchStarter(gone) {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  // npm starts a shell, and the shell (unless it steps aside) this process: then npm is one further up.
  const above = isShell(parent) ? [parent, parentOf(parent)] : [parent];
  const watched = above.filter((pid) => pid > 1);
  const timer = setInterval(() => {
    if (process.ppid === parent && watched.every(isThere)) return;
    clearInterval(timer);
    gone();
  }, 1000);
  timer.unref();
}

function isThere(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function isShell(pid) {
  return /^-?(.*\/)?(sh|bash|dash|zsh|ksh|ash|busybox)$/.test(field(pid, 'comm'));
}

function parentOf(pid) {
  return Number(field(pid, 'ppid')) || 0;
}

function field(pid, name) {
  try {
    if (process.platform !== 'linux')
      return execFileSync('ps', ['-o', `${name}=`, '-p', String(pid)], { encoding: 'utf8' }).trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const end = stat.lastIndexOf(')');
    return name === 'comm' ? stat.slice(stat.indexOf('(') + 1, end) : stat.slice(end + 2).split(' ')[1];
  } catch {
    return '';
  }
}
