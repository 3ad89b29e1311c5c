import { parentPort, workerData } from "node:worker_threads";
import { openViewer } from "../measure/terminal-viewer.ts";
import type { Access } from "../measure/terminal-viewer.ts";

/** A viewer of a flooding terminal, beside the one that is measured. */
const { access, id } = workerData as { access: Access; id: string };
const viewer = await openViewer(access, id);
await viewer.until(1_000_000);
parentPort?.postMessage("flooded");
