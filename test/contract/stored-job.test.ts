import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeJob, encodeJob, jobFromJson, jobToJson, type StoredJob } from '../../lib/contract/stored-job.ts';
import { JOB_SCHEMA, newStep } from '../../lib/core/job.ts';
import { byteLength, canonicalJson, type Json, sha256Hex } from '../../lib/core/json.ts';
import { NewerSchemaError } from '../../lib/core/newer-schema.ts';
import { completedSignup, inline, newJob } from '../contracts/jobs.ts';
import { arbitraryJob } from './arbitrary-job.ts';

describe('the stored form of a job', () => {
  it('brings back every job as it was', () => {
    fc.assert(
      fc.property(arbitraryJob, (job) => {
        expect(jobFromJson(jobToJson(job))).toStrictEqual(job);
      }),
      { numRuns: 500 },
    );
  });

  it('is stable: encoding what was decoded gives the same text', () => {
    fc.assert(fc.property(arbitraryJob, (job) => jobToJson(jobFromJson(jobToJson(job))) === jobToJson(job)));
  });

  it('keeps only the hash of a value stored apart, though its data was loaded', () => {
    const data = { text: 'x'.repeat(500) };
    const hash = sha256Hex(canonicalJson(data));
    const job = newJob('apart', { input: { data, hash }, output: { data, hash } });
    const back = jobFromJson(jobToJson(job));
    expect([back.input, back.output]).toStrictEqual([
      { data: undefined, hash },
      { data: undefined, hash },
    ]);
    expect(jobToJson(job)).not.toContain('xxx');
  });

  it('tells an output of null from no output', () => {
    const outputs = [inline(null), null].map((output) => jobFromJson(jobToJson(newJob('null', { output }))).output);
    expect(outputs).toStrictEqual([{ data: null, hash: null }, null]);
  });

  it('refuses to lose a value that has neither data nor hash', () => {
    expect(() => encodeJob(newJob('lost', { input: { data: undefined, hash: null } }))).toThrow(
      'neither data nor a hash',
    );
  });

  it('leaves a job of a newer schema to newer code, by a typed error', () => {
    const newer: StoredJob = { ...encodeJob(newJob('newer')), schema: JOB_SCHEMA + 1 };
    expect(() => decodeJob(newer)).toThrow(NewerSchemaError);
    expect(() => decodeJob(newer)).toThrow(expect.objectContaining({ jobId: newer.id, schema: JOB_SCHEMA + 1 }));
  });

  it('keeps a completed signup under 2 KiB', () => {
    expect(byteLength(jobToJson(completedSignup()))).toBeLessThan(2_048);
  });

  it('stores a step that has not begun as its name and status', () => {
    expect(JSON.parse(jobToJson(newJob('fresh'))).steps[0]).toEqual({ name: 'tenant', status: 'pending' });
  });

  it('carries names that mean something to JavaScript as plain data', () => {
    const data: Json = JSON.parse('{"__proto__": {"polluted": true}, "toJSON": 1}');
    const back = jobFromJson(jobToJson(newJob('proto', { input: inline(data), steps: [newStep('constructor')] })));
    expect(JSON.stringify(back.input.data)).toBe('{"__proto__":{"polluted":true},"toJSON":1}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});
