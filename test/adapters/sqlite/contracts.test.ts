import { auditStoreContract, settlementContract } from '../../contracts/audit.ts';
import { changesContract } from '../../contracts/changes.ts';
import { dependenciesContract } from '../../contracts/dependencies.ts';
import { jobIndexContract } from '../../contracts/job-index.ts';
import { jobStoreContract } from '../../contracts/job-store.ts';
import { parkedJobsContract } from '../../contracts/parked-jobs.ts';
import { pausesContract } from '../../contracts/pauses.ts';
import { busContract, queueContract, timersContract } from '../../contracts/queue.ts';
import { claimStoreContract, deadLetterStoreContract, valueStoreContract } from '../../contracts/records.ts';
import { scheduleStoreContract } from '../../contracts/schedules.ts';
import { portsOn } from './file.ts';

const make = () => portsOn();

jobStoreContract('SQLite', async () => (await make()).jobs);
jobIndexContract('SQLite', async () => (await make()).jobs);
parkedJobsContract('SQLite', async () => (await make()).jobs);
dependenciesContract('SQLite', async () => (await make()).dependencies);
valueStoreContract('SQLite', async () => (await make()).values);
claimStoreContract('SQLite', async () => (await make()).claims);
deadLetterStoreContract('SQLite', async () => (await make()).deadLetters);
queueContract('SQLite', make);
timersContract('SQLite', make);
busContract('SQLite', make);
changesContract('SQLite', make);
auditStoreContract('SQLite', async () => (await make()).audit);
settlementContract('SQLite', async () => (await make()).deadLetters);
scheduleStoreContract('SQLite', async () => (await make()).schedules);
pausesContract('SQLite', async () => (await make()).pauses);
