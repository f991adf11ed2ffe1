import { useSyncExternalStore } from 'react';
import { remembered } from '../api/remembered';

type Theme = 'system' | 'light' | 'dark';
// The same name is read by theme.js before the first paint.
const theme = remembered<Theme>('currawong.theme', ['system', 'light', 'dark'], 'system');
const CHOICES: [Theme, string][] = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

theme.subscribe(() => {
  const chosen = theme.get();
  if (chosen === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = chosen;
});

export function ThemeChoice() {
  const chosen = useSyncExternalStore(theme.subscribe, theme.get);
  return (
    <fieldset>
      <legend className="small soft">Colours</legend>
      <div className="choice-row small">
        {CHOICES.map(([value, label]) => (
          <label key={value}>
            <input
              type="radio"
              name="theme"
              value={value}
              checked={value === chosen}
              onChange={() => theme.set(value)}
            />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
