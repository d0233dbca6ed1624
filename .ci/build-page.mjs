// Builds the inspector page as one file that needs no other: its script, its worker and its style are in it.

import { join, relative } from 'node:path';
import { build } from 'vite';

/** The page's text, and the folders of the packages that are in it. */
export async function buildPage() {
  const packages = new Set();
  const { output } = await build({
    root: 'src/inspector/page',
    configFile: false,
    logLevel: 'warn',
    build: { write: false, modulePreload: false, target: 'es2023', license: false },
    // A classic one: from a file, browsers start no module in a worker.
    worker: { format: 'iife', plugins: () => [packagesInto(packages)] },
    plugins: [packagesInto(packages)],
  });
  const text = (wanted) => {
    const [found, ...others] = output.filter(wanted);
    if (found === undefined || others.length > 0) throw new Error('the page is not of three parts');
    return found.type === 'chunk' ? found.code : String(found.source);
  };
  const script = text(({ type }) => type === 'chunk');
  const style = text(({ fileName }) => fileName.endsWith('.css'));
  const html = text(({ fileName }) => fileName.endsWith('.html'))
    // A function, for in a text `$&` would stand for something else.
    .replace(/<script\b[^>]*src=[^>]*><\/script>/, '')
    .replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${style}</style>`)
    .replace(
      '</body>',
      () => `<script type="module">${script.replaceAll('</script', '<\\/script')}</script></body>`,
    );
  return { html, packages: [...packages].sort() };
}

/** Notes which packages have code in what is built. */
function packagesInto(packages) {
  return {
    name: 'packages-in-page',
    generateBundle(_options, bundle) {
      for (const chunk of Object.values(bundle)) {
        for (const file of chunk.moduleIds ?? []) {
          const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
          if (folder !== undefined) packages.add(relative('.', join(folder)));
        }
      }
    },
  };
}
