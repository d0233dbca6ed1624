// `reftable/format` and `reftable/table` in a browser, which has nothing of Node.

import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWithBrowser, startBrowser } from '../support/chromium.ts';
import { fixture } from '../support/fixtures.ts';

const dist = join(import.meta.dirname, '../../dist');

describeWithBrowser('in a browser', () => {
  it('a table is read, and another written', async () => {
    const browser = await startBrowser();
    try {
      const page = await browser.newPage();
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(error.message));
      await page.route('http://modules.example/**', (route) => {
        const name = basename(new URL(route.request().url()).pathname);
        const isModule = name.endsWith('.js');
        const body = isModule ? readFileSync(join(dist, name)) : '<!doctype html><title>x</title>';
        return route.fulfill({ body, contentType: isModule ? 'text/javascript' : 'text/html' });
      });
      await page.goto('http://modules.example/');
      const { tables, refs } = fixture('many-refs');
      const bytes = [...readFileSync(tables[0]!)];
      const read = await page.evaluate(`(async () => {
        const { decodeHeader } = await import('/format.js');
        const { Table, MergedTable, TableWriter, bufferSource } = await import('/table.js');
        const none = { deflate: () => { throw new Error() }, inflate: () => { throw new Error() } };
        const bytes = new Uint8Array(${JSON.stringify(bytes)});
        const table = Table.open(bufferSource('x.ref', bytes), none);
        const names = [...new MergedTable([table]).refs('refs/')].map(({ name }) => name);
        const writer = new TableWriter({ compression: none, objectFormat: 'sha1', minUpdateIndex: 1, maxUpdateIndex: 1 });
        writer.addRef({ name: 'refs/heads/x', updateIndex: 1, oid: '1'.repeat(40) });
        const { chunks: [written] } = writer.finish();
        const again = Table.open(bufferSource('y.ref', written), none);
        return {
          version: decodeHeader(bytes, 'x.ref').version,
          names,
          oid: new MergedTable([again]).readRef('refs/heads/x').oid,
        };
      })()`);
      expect(read).toMatchObject({ version: 1, oid: '1'.repeat(40) });
      const { names } = read as { names: string[] };
      const known = new Set(refs.map(({ name }) => name));
      expect(names.length).toBeGreaterThan(100);
      expect(names.filter((name) => !known.has(name)).length).toBeLessThan(names.length / 2);
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
    }
  });
});
