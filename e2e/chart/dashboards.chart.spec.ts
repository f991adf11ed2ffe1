import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { panelsOf, readDashboards, withoutVariables } from '../observability/dashboards';
import { parsePromql } from '../observability/promql';
import { repositoryFolder } from '../observability/rules';

const dashboards = readDashboards();

describe.each([...dashboards])('the dashboard %s', (name, dashboard) => {
  it('has the name of its file, and asks for data source, namespace and job', () => {
    expect(`${dashboard.uid}.json`).toBe(`currawong-${name}`);
    expect(dashboard.templating.list.map((variable) => variable.name)).toEqual([
      'datasource',
      'namespace',
      'job',
    ]);
  });

  it('has panels with numbers of their own that do not cover each other', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(ids).toHaveLength(new Set(ids).size);
    const taken = new Map<string, string>();
    for (const { title, gridPos } of dashboard.panels) {
      expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          expect(`${taken.get(`${x},${y}`) ?? 'nothing'} below ${title}`).toBe(`nothing below ${title}`);
          taken.set(`${x},${y}`, title);
        }
      }
    }
  });

  it.each(panelsOf(dashboard).map((panel) => [panel.title, panel] as const))(
    '%s has a unit and queries of one installation',
    (_, panel) => {
      if (panel.type !== 'table') expect(panel.fieldConfig.defaults.unit).toBeDefined();
      expect(panel.targets.map(({ refId }) => refId)).toHaveLength(
        new Set(panel.targets.map(({ refId }) => refId)).size,
      );
      for (const { expr, datasource } of panel.targets) {
        expect(datasource).toEqual(panel.datasource);
        for (const { matchers } of parsePromql(withoutVariables(expr)).selectors) {
          expect(matchers.map(({ label }) => label)).toContain('namespace');
        }
      }
    },
  );

  it('is described, with the titles of all its panels', () => {
    const text = readFileSync(join(repositoryFolder, 'docs', 'dashboards.md'), 'utf8');
    expect(text).toContain(`\`${name}\``);
    for (const { title } of panelsOf(dashboard)) expect(text).toContain(title);
  });
});
