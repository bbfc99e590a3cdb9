/** The shipped examples as one catalog: what embedded mode and the Lambdas run until a team brings its own. */
import { registry } from '../definition/index.ts';
import { onboarding } from './onboarding.ts';
import { order } from './order.ts';
import { research } from './research.ts';
import { signup } from './signup.ts';

export const examples = registry(onboarding, order, research, signup);
