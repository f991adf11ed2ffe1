import { Link, useRoute } from 'wouter';
import './places.css';

/** The pages that share a heading; the one that is open is marked. */
export function Places({
  label,
  places,
}: {
  label: string;
  places: readonly (readonly [href: string, name: string])[];
}) {
  return (
    <nav className="places" aria-label={label}>
      {places.map(([href, name]) => (
        <Place key={href} href={href} name={name} />
      ))}
    </nav>
  );
}

function Place({ href, name }: { href: string; name: string }) {
  const [here] = useRoute(href);
  return (
    <Link href={href} aria-current={here ? 'page' : undefined}>
      {name}
    </Link>
  );
}
