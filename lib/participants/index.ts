/** The services behind the example workflows, by name. */
import { billing } from './billing.ts';
import { fulfilment } from './fulfilment.ts';
import { inventory } from './inventory.ts';
import { mail } from './mail.ts';
import { notify } from './notify.ts';
import { payment } from './payment.ts';
import { research } from './research.ts';
import { tenant } from './tenant.ts';
import { user } from './user.ts';

export const EXAMPLE_SERVICES = [
  tenant,
  billing,
  user,
  inventory,
  payment,
  fulfilment,
  research,
  mail,
  notify,
] as const;
