import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { definePlugin } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import type { TestKernel, TestKernelOptions } from "@gantry/plugin-testing";
import { onTestFinished } from "vitest";
import doctor from "../../src/index.ts";

/** A kernel with the doctor and a plugin whose context the test uses. */
export interface DoctorBench extends TestKernel {
  /** Of the plugin `probe`. */
  readonly ctx: PluginContext;
}

/** Starts a kernel with the doctor and a plugin `probe`. Use it with `await using`. */
export async function startDoctor(
  options: TestKernelOptions = {},
  setup: () => void = () => {},
): Promise<DoctorBench> {
  let context: PluginContext | undefined;
  const probe = definePlugin({
    id: "probe",
    api: 1,
    summary: "Made for a test",
    mounts: ["/api/probe"],
    setup(ctx) {
      context = ctx;
      setup();
    },
  });
  const kernel = await startTestKernel([doctor, probe], options);
  const get = () => context;
  return Object.defineProperty(kernel, "ctx", { get }) as DoctorBench;
}

/** A temporary folder that is removed after the test. */
export async function createTemporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "gantry-doctor-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
