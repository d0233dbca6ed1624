// The inspector page on a million refs, in a real browser: until the first rows are shown, and the longest task
// while it is scrolled from end to end.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { cli, inFolder, median, reportLimit, root } from './bench.mjs';

const REFS = 1_000_000;
const ROUNDS = 5;
const FIRST_ROWS_MS = 2000;
const LONGEST_TASK_MS = 100;

export async function bench() {
  await inFolder(async (folder) => {
    await writeStack(folder);
    const server = spawn(process.execPath, [cli, 'inspect', folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const browser = await chromium.launch({
      executablePath: process.env.REFTABLE_TEST_CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
    try {
      const [url] = await once(server.stdout, 'data');
      const rounds = [];
      for (let i = 0; i < ROUNDS; i++) rounds.push(await visit(browser, String(url).trim()));
      const firstRows = median(rounds.map(({ first }) => first));
      const longest = median(rounds.map(({ task }) => task));
      reportLimit(`${REFS} refs, until the first rows`, firstRows, FIRST_ROWS_MS, 'ms');
      reportLimit('longest task while scrolling', longest, LONGEST_TASK_MS, 'ms');
    } finally {
      await browser.close();
      server.kill();
    }
  });
}

async function visit(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
  const start = performance.now();
  await page.goto(url);
  await page.locator('#list .row .name').first().waitFor();
  const first = Math.round(performance.now() - start);
  const task = await page.evaluate(async () => {
    let longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
    }).observe({ type: 'longtask' });
    const view = document.getElementById('list');
    for (let i = 0; i <= 300; i++) {
      view.scrollTop = (view.scrollHeight * i) / 300;
      await new Promise((drawn) => requestAnimationFrame(drawn));
    }
    return longest;
  });
  await page.close();
  return { first, task };
}

async function writeStack(folder) {
  const { TableWriter } = await import(pathToFileURL(join(root, 'dist/table.js')));
  const { deflateSync } = await import('node:zlib');
  const writer = new TableWriter({
    compression: { deflate: deflateSync, inflate: () => {} },
    objectFormat: 'sha1',
    minUpdateIndex: 1,
    maxUpdateIndex: 1,
  });
  for (let i = 0; i < REFS; i++) {
    const name = `refs/heads/topic-${String(i).padStart(7, '0')}`;
    writer.addRef({ name, updateIndex: 1, oid: (i + 1).toString(16).padStart(40, '0') });
  }
  const name = '0x000000000001-0x000000000001-00000000.ref';
  writeFileSync(join(folder, name), Buffer.concat(writer.finish().chunks));
  writeFileSync(join(folder, 'tables.list'), `${name}\n`);
}
