import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readProcesses } from "../src/read-processes.ts";
import { parsePs } from "../src/read-ps.ts";

test("`ps` says the same of this process as /proc does", async () => {
  const columns = "pid=,ppid=,pgid=,stat=,rss=,time=,lstart=";
  const { stdout } = await promisify(execFile)("ps", ["-A", "-o", columns], {
    env: { ...process.env, LC_ALL: "C", TZ: "UTC" },
  });
  const fromPs = parsePs(stdout).get(process.pid);
  const fromProc = (await readProcesses())?.get(process.pid);
  const { pid, ppid: parent } = process;
  expect(fromPs).toMatchObject({ pid, parent, group: fromProc?.group });
  expect(fromProc).toMatchObject({ pid, parent });
  const { rss } = process.memoryUsage();
  for (const found of [fromPs, fromProc]) {
    expect(found!.memoryBytes / rss).toBeGreaterThan(0.5);
    expect(found!.memoryBytes / rss).toBeLessThan(2);
  }
  const { user, system } = process.cpuUsage();
  const ownMs = (user + system) / 1_000;
  // Whole seconds on Linux.
  expect(fromPs!.cpuMs).toBeGreaterThan(ownMs - 1_100);
  expect(fromPs!.cpuMs).toBeLessThanOrEqual(ownMs);
  // With those of children that have ended.
  expect(fromProc!.cpuMs).toBeGreaterThan(ownMs - 1_000);
});

test("times of `ps` are read in all their forms, of macOS and of Linux", () => {
  const read = (time: string) =>
    parsePs(`  7 1 7 Ss 1 ${time} Mon Mar  2 12:00:00 2026\n`).get(7);
  expect(read("0:00.01")?.cpuMs).toBe(10);
  expect(read("1234:05.67")?.cpuMs).toBe(74_045_670);
  expect(read("01:02:03")?.cpuMs).toBe(3_723_000);
  expect(read("2-01:00:00")?.cpuMs).toBe(176_400_000);
  expect(read("0:00.01")?.startTime).toBe("Mon Mar  2 12:00:00 2026");
});

test("lines of `ps` that are no process are passed over, whatever they are", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.nat({ max: 1e6 }), (junk, pid) => {
      const lines = junk.map((text) => `x${text.replaceAll(/[\r\n]/g, "")}`);
      const own = `${pid} 1 ${pid} S 10 0:01.00 Mon Mar  2 12:00:00 2026`;
      const table = parsePs([...lines, own, ...lines].join("\n"));
      expect([...table.keys()]).toEqual([pid]);
    }),
  );
});
