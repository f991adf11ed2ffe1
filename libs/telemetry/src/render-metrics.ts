import { openMetricsContentType, prometheusContentType, register } from 'prom-client';

interface Rendered {
  body: string;
  contentType: string;
}

/**
 * The metrics of the process in the form that the scraper prefers: OpenMetrics, which has exemplars, where it asks for
 * it as Prometheus does; else the older text form, which everybody reads. One scrape at a time, because the form is
 * a property of prom-client's registry.
 * @param accept the request's header
 */
export function renderMetrics(accept = ''): Promise<Rendered> {
  const rendered = turn.then(() => render(prefersOpenMetrics(accept)));
  turn = rendered.catch(() => undefined);
  return rendered;
}

let turn: Promise<unknown> = Promise.resolve();

async function render(asOpenMetrics: boolean): Promise<Rendered> {
  const contentType = asOpenMetrics ? openMetricsContentType : prometheusContentType;
  try {
    register.setContentType(contentType as never);
    // OpenMetrics names a counter without its suffix; prom-client renames the metric itself and never back again.
    if (!asOpenMetrics)
      for (const metric of register.getMetricsAsArray())
        if (String(metric.type) === 'counter' && !metric.name.endsWith('_total')) metric.name += '_total';
    return { body: await register.metrics(), contentType };
  } finally {
    // Histograms with exemplars that are made later want to find it so.
    register.setContentType(openMetricsContentType as never);
  }
}

function prefersOpenMetrics(accept: string): boolean {
  const openMetrics = weightOf(accept, 'application/openmetrics-text');
  return openMetrics > 0 && openMetrics >= weightOf(accept, 'text/plain');
}

/** The `q` of a media type in an Accept header: 1 where it has none, 0 where the type is not there. */
function weightOf(accept: string, type: string): number {
  const weights = accept
    .split(',')
    .map((range) => range.split(';').map((part) => part.trim().toLowerCase()))
    .filter(([name]) => name === type)
    .map(([, ...parameters]) => Number(parameters.find((one) => one.startsWith('q='))?.slice(2) ?? 1));
  return Math.max(0, ...weights.filter(Number.isFinite));
}
