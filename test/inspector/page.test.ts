// The inspector page in a real browser: served for a repository, and opened on its own.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, ftruncateSync, openSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { nodeCompression } from '../../src/storage/node-compression.ts';
import { TableWriter } from '../../src/table/table-writer.ts';
import { describeWithBrowser, startBrowser } from '../support/chromium.ts';
import { fixture } from '../support/fixtures.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');
const MANY = 1_000_000;

describeWithBrowser('the inspector page', () => {
  let browser: Browser;
  const servers: ChildProcess[] = [];

  beforeAll(async () => {
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser.close();
    for (const server of servers) server.kill();
  });

  /** Serves a stack with the command line and gives the address. */
  async function serve(folder: string): Promise<string> {
    const cli = join(root, 'dist/cli.cjs');
    const server = spawn(process.execPath, [cli, 'inspect', folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    servers.push(server);
    const [output] = await once(server.stdout!, 'data');
    return String(output).trim();
  }

  /** Opens a page and collects what goes wrong in it. */
  async function visit(url: string): Promise<{ page: Page; faults: string[] }> {
    const page = await browser.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
    page.on('request', (request) => {
      const isOwn = request.url().startsWith(url) || /^(?:blob|data):/.test(request.url());
      if (!isOwn) faults.push(`asked for ${request.url()}`);
    });
    await page.goto(url);
    return { page, faults };
  }

  const onItsOwn = () => visit(pathToFileURL(join(root, 'dist/inspector.html')).href);
  const rows = (page: Page) => page.locator('#list .row').allTextContents();

  it('shows a repository, finds a ref, and follows it through the tables, by keyboard alone', async () => {
    const { stackFolder } = fixture('tombstones');
    const { page, faults } = await visit(await serve(stackFolder));
    await page.locator('#list .row .name').first().waitFor();
    expect(await page.locator('#figure tbody tr').count()).toBe(
      fixture('tombstones').tables.length,
    );
    expect(await page.locator('#verdict').textContent()).toMatch(/merge/);
    const [first] = fixture('tombstones').refs.filter(({ name }) => name.startsWith('refs/'));
    await page.keyboard.press('/');
    await page.keyboard.type(first!.name);
    await page.locator('#records-title', { hasText: 'Found' }).waitFor();
    expect((await rows(page)).join()).toContain(first!.name);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.locator('#history-title', { hasText: first!.name }).waitFor();
    expect(await page.locator('#history-tables').textContent()).toContain(first!.oid.slice(0, 12));
    await page.keyboard.press('Escape');
    expect(await page.locator('#history').isHidden()).toBe(true);
    await page.locator('#blocks').focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.locator('#block').textContent()).toMatch(/^Block 1 of \d+: (ref|log), /);
    await page.keyboard.press('Enter');
    await page.locator('#records-title', { hasText: 'Records' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('shows what is dropped on it, served by nobody', async () => {
    const { page, faults } = await onItsOwn();
    const { tables, stackFolder } = fixture('reflogs');
    await page.locator('#files').setInputFiles([...tables, join(stackFolder, 'tables.list')]);
    await page.locator('#list .row .name').first().waitFor();
    expect(await page.locator('#summary').textContent()).toContain(`${tables.length} tables`);
    const [name] = fixture('reflogs').refs.map((ref) => ref.name);
    await page.evaluate(`
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(${JSON.stringify([...tableBytes(10)])})], 'dropped.ref'));
      document.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true }));
    `);
    await page.locator('#title', { hasText: 'dropped.ref' }).waitFor();
    expect(await rows(page)).toHaveLength(10);
    expect((await rows(page)).join()).not.toContain(name);
    expect(faults).toEqual([]);
  });

  it('tells of what is no table, and keeps what was open', async () => {
    const { page, faults } = await onItsOwn();
    const folder = temporaryFolder();
    const good = join(folder, 'good.ref');
    writeFileSync(good, tableBytes(3));
    await page.locator('#files').setInputFiles(good);
    await page.locator('#title', { hasText: 'good.ref' }).waitFor();
    const bad = join(folder, 'bad.ref');
    writeFileSync(
      bad,
      'this is no table at all, and never was one; it is long enough to look like one, though.',
    );
    const large = join(folder, 'large.ref');
    const descriptor = openSync(large, 'w');
    ftruncateSync(descriptor, 2 ** 31);
    closeSync(descriptor);
    const complaints = [
      [bad, "bad.ref: at byte 0: expected the magic 'REFT'"],
      [large, 'large.ref has 2,147,483,648 bytes, more than this page reads.'],
    ] as const;
    for (const [file, complaint] of complaints) {
      await page.locator('#files').setInputFiles(file);
      await page.locator('#message', { hasText: complaint }).waitFor();
      expect(await page.locator('#title').textContent()).toBe('good.ref');
      expect(await rows(page)).toHaveLength(3);
    }
    expect(faults).toEqual([]);
  });

  it('is usable with a million refs', async () => {
    const folder = temporaryFolder();
    const name = '0x000000000001-0x000000000001-00000000.ref';
    writeFileSync(join(folder, name), tableBytes(MANY));
    writeFileSync(join(folder, 'tables.list'), `${name}\n`);
    const { page, faults } = await visit(await serve(folder));
    await page.locator('#list .row .name').first().waitFor();
    const list = page.locator('#list');
    for (let i = 0; i <= 20; i++) {
      await page.evaluate(`
        const view = document.getElementById('list');
        view.scrollTop = (view.scrollHeight * ${i}) / 20;
        new Promise((drawn) => requestAnimationFrame(drawn));
      `);
    }
    await page.locator('#list .row', { hasText: nameOf(MANY - 1) }).waitFor();
    await list.focus();
    await page.keyboard.press('Home');
    await page.locator('#list .row', { hasText: nameOf(0) }).waitFor();
    await page.locator('#text').fill(nameOf(765_432).slice(5));
    await page.locator('#records-note', { hasText: '1 ref' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('is served to this machine alone, read only', async () => {
    const url = await serve(fixture('minimal').stackFolder);
    const status = async (path: string, options = {}): Promise<string> => {
      const request = get(new URL(path, url), options);
      const [response] = await once(request, 'response');
      return `${response.statusCode} ${(await text(response)).slice(0, 40)}`;
    };
    expect(await status('api/stack')).toMatch(/^200 \{"location":/);
    expect(await status('', { headers: { host: 'evil.example' } })).toMatch(/^403/);
    expect(await status('api/stack', { method: 'POST' })).toMatch(/^405/);
    expect(await status('api/tables/..%2Ftables.list')).toMatch(/^404/);
    expect(await status('api/tables/tables.list')).toMatch(/^404/);
    expect(await status('api/tables/0x000000000001-0x000000000002-ffffffff.ref')).toMatch(/^404/);
  });
});

function nameOf(i: number): string {
  return `refs/heads/topic-${String(i).padStart(7, '0')}`;
}

function tableBytes(count: number): Uint8Array {
  const writer = new TableWriter({
    compression: nodeCompression,
    objectFormat: 'sha1',
    minUpdateIndex: 1,
    maxUpdateIndex: 1,
  });
  for (let i = 0; i < count; i++) {
    const oid = (i + 1).toString(16).padStart(40, '0');
    writer.addRef({ name: nameOf(i), updateIndex: 1, oid });
  }
  return Buffer.concat(writer.finish().chunks);
}
