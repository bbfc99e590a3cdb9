import { expect, it } from 'vitest';
import { readLocalEnvironment } from '../../lib/contract/environment.ts';

it('has defaults, also for variables that are set to nothing', () => {
  const defaults = {
    port: 3000,
    dataDirectory: '.dacapo',
    ephemeral: false,
    errorsFile: null,
    lifecycleEvents: false,
    startedByNpm: false,
    routesFile: null,
    secretsFile: null,
  };
  expect(readLocalEnvironment({})).toEqual(defaults);
  expect(readLocalEnvironment({ PORT: '', DACAPO_DATA: '', DACAPO_EPHEMERAL: '', DACAPO_ERRORS: '' })).toEqual(
    defaults,
  );
});

it('takes what is written', () => {
  const given = {
    PORT: '0',
    DACAPO_DATA: '/tmp/x',
    DACAPO_EPHEMERAL: '1',
    DACAPO_ERRORS: 'errors.json',
    DACAPO_ROUTES: 'routes.json',
    DACAPO_SECRETS: 'secrets.json',
    DACAPO_LIFECYCLE_EVENTS: '1',
    npm_lifecycle_event: 'start',
  };
  const expected = {
    port: 0,
    dataDirectory: '/tmp/x',
    ephemeral: true,
    errorsFile: 'errors.json',
    lifecycleEvents: true,
    startedByNpm: true,
    routesFile: 'routes.json',
    secretsFile: 'secrets.json',
  };
  expect(readLocalEnvironment(given)).toEqual(expected);
});

it.each([
  [{ PORT: '70000' }, 'PORT'],
  [{ PORT: 'http' }, 'PORT'],
  [{ DACAPO_EPHEMERAL: 'yes' }, 'DACAPO_EPHEMERAL'],
])('refuses %j and names the variable', (given, name) => {
  expect(() => readLocalEnvironment(given)).toThrow(name);
});
