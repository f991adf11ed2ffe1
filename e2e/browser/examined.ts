import type { Visitor } from './visitor';

/**
 * Looks at a page wide and narrow, takes its pictures, and tells what is wrong with it.
 * @param anew whether it is opened anew for the narrow window too; others come to that by way of the wide one
 */
export async function examined(visitor: Visitor, path: string, anew: boolean): Promise<string[]> {
  const { page } = visitor;
  const name = path
    .replace(/[0-9a-f-]{36}/, 'one')
    .replace(/#.*$/, '')
    .split('/')
    .filter(Boolean)
    .join('-');
  const problems: string[] = [];
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    if (anew || width === 1440) {
      await page.goto('about:blank');
      await visitor.open(path);
      const shift = await visitor.layoutShift();
      if (shift > 0.1) problems.push(`${width} px: layout shift of ${shift.toFixed(3)}`);
    }
    problems.push(...(await examinedAt(visitor, width, name)));
  }
  await page.setViewportSize({ width: 820, height: 900 });
  await visitor.screenshot(`${name}-820`);
  await page.setViewportSize({ width: 1440, height: 900 });
  return problems.map((problem) => `${path}: ${problem}`);
}

/** The same of a dialog that is open, or of what else is on the screen: where it is narrow, which is where it is hard. */
export async function examinedAsItIs(visitor: Visitor, name: string): Promise<string[]> {
  const { page } = visitor;
  await visitor.screenshot(`${name}-1440`, false);
  await page.setViewportSize({ width: 390, height: 900 });
  const problems = await examinedAt(visitor, 390, name);
  await page.setViewportSize({ width: 1440, height: 900 });
  return problems.map((problem) => `${name}: ${problem}`);
}

async function examinedAt(visitor: Visitor, width: number, name: string): Promise<string[]> {
  const problems: string[] = [];
  const overflow = await visitor.overflow();
  if (overflow > 0) problems.push(`${width} px: the page is ${overflow} px too wide`);
  for (const colours of ['light', 'dark'] as const) {
    await visitor.wearColours(colours);
    const found = await visitor.accessibilityProblems();
    problems.push(...found.map((problem) => `${width} px, ${colours}: ${problem}`));
    await visitor.screenshot(`${name}-${width}${colours === 'dark' ? '-dark' : ''}`);
  }
  await visitor.wearColours('light');
  return problems;
}
