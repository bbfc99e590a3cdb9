import { memoryPorts } from '../../../lib/adapters/memory/ports.ts';
import { auditStoreContract, settlementContract } from '../../contracts/audit.ts';
import { changesContract } from '../../contracts/changes.ts';
import { dependenciesContract } from '../../contracts/dependencies.ts';
import { jobIndexContract } from '../../contracts/job-index.ts';
import { jobStoreContract } from '../../contracts/job-store.ts';
import { T0 } from '../../contracts/jobs.ts';
import { parkedJobsContract } from '../../contracts/parked-jobs.ts';
import { pausesContract } from '../../contracts/pauses.ts';
import { busContract, queueContract, timersContract } from '../../contracts/queue.ts';
import { claimStoreContract, deadLetterStoreContract, valueStoreContract } from '../../contracts/records.ts';
import { scheduleStoreContract } from '../../contracts/schedules.ts';

const make = async () => {
  const ports = memoryPorts({ start: T0 });
  return { ...ports, advance: ports.clock.advanceAsync, seen: async () => ports.bus.published };
};

jobStoreContract('memory', async () => (await make()).jobs);
jobIndexContract('memory', async () => (await make()).jobs);
parkedJobsContract('memory', async () => (await make()).jobs);
dependenciesContract('memory', async () => (await make()).dependencies);
valueStoreContract('memory', async () => (await make()).values);
claimStoreContract('memory', async () => (await make()).claims);
deadLetterStoreContract('memory', async () => (await make()).deadLetters);
queueContract('memory', make);
timersContract('memory', make);
busContract('memory', make);
changesContract('memory', make);
auditStoreContract('memory', async () => (await make()).audit);
settlementContract('memory', async () => (await make()).deadLetters);
scheduleStoreContract('memory', async () => (await make()).schedules);
pausesContract('memory', async () => (await make()).pauses);
