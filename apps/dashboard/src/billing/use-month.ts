import { useLocation, useSearch } from 'wouter';
import { monthOf } from './months';

/** The month that the address names, else the present one. It stays in the address, to be kept and shared. */
export function useMonth(): [month: string, choose: (month: string) => void] {
  const asked = new URLSearchParams(useSearch()).get('month') ?? '';
  const [path, navigate] = useLocation();
  const month = /^\d{4}-(0[1-9]|1[0-2])$/.test(asked) ? asked : monthOf(new Date());
  return [month, (chosen) => navigate(`${path}?month=${chosen}`, { replace: true })];
}
