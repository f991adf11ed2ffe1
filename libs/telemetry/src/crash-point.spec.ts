import { spawnSync } from 'node:child_process';
import { armed } from './crash-point';

it('does nothing unless it is named', () => {
  const die = jest.fn();
  armed(undefined, die)('outbox.committed');
  armed('', die)('outbox.committed');
  armed('outbox.published', die)('outbox.committed');
  expect(die).not.toHaveBeenCalled();
});

it('ends the process the first time, or the time that is asked for, and not again', () => {
  const die = jest.fn();
  const first = armed('outbox.committed', die);
  first('outbox.committed');
  first('outbox.committed');
  expect(die).toHaveBeenCalledTimes(1);
  const third = armed('settlement.captured:3', die);
  third('settlement.captured');
  third('settlement.captured');
  expect(die).toHaveBeenCalledTimes(1);
  third('settlement.captured');
  expect(die).toHaveBeenCalledTimes(2);
});

it('a name that does not exist is refused', () => {
  expect(() => armed('outbox.commited')).toThrow(
    /^CURRAWONG_CRASH_AT is outbox\.commited: it must be one of/,
  );
  expect(() => armed('outbox.committed:0')).toThrow('CURRAWONG_CRASH_AT');
});

it('dies as from kill -9: nothing that was to run at its end runs', () => {
  const program = `
    const { armed } = require(${JSON.stringify(require.resolve('./crash-point'))});
    process.on('exit', () => console.log('in order'));
    armed('outbox.committed')('outbox.committed');
    console.log('went on');`;
  const ended = spawnSync(process.execPath, ['--experimental-strip-types', '-e', program], {
    encoding: 'utf8',
  });
  expect({ signal: ended.signal, said: ended.stdout }).toEqual({ signal: 'SIGKILL', said: '' });
});
