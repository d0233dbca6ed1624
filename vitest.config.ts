import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // A process a file: lock owners are told apart by process id, which threads would share.
    pool: 'forks',
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
