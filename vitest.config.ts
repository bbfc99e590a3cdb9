/** How the tests run: plain Node, one process per core, black-box acceptance left to its own runner (`npm run acceptance`). */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/acceptance/**', 'node_modules/**'],
    environment: 'node',
    // Processes rather than threads: tests start servers, open SQLite files and read process.env.
    pool: 'forks',
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // A test that leaves mocks or fake environment behind would make its neighbour lie.
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
  },
});
