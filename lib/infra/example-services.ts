/**
 * The example services as infrastructure knows them: their names, which are those of their Lambdas, and their topics. Said
 * here once more, since infrastructure imports no running code; a test holds them to what the services serve.
 */
export const EXAMPLE_SERVICES: Readonly<Record<string, readonly string[]>> = {
  tenant: ['tenant:create', 'tenant:delete'],
  billing: ['billing:setup', 'billing:teardown'],
  user: ['user:create', 'user:delete'],
  inventory: ['inventory:reserve', 'inventory:release', 'inventory:find'],
  payment: ['payment:authorise', 'payment:cancel', 'payment:find'],
  fulfilment: ['fulfilment:create', 'fulfilment:cancel', 'fulfilment:find'],
  mail: ['mail:ask'],
  notify: ['notify:send'],
  research: ['research:mine', 'research:audit', 'research:plan'],
};
