import { availableParallelism, cpus, loadavg } from "node:os";

/** On what it was measured, and how busy that was: figures of a busy machine say less than their ratios. */
export function describeMachine(): string {
  const model = cpus()[0]?.model.trim() || "unknown";
  const [load = 0] = loadavg();
  return `Node ${process.versions.node}, ${availableParallelism()} × ${model}, load ${load.toFixed(1)} at the end.`;
}
