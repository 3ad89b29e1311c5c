import { parentPort, workerData } from "node:worker_threads";
import { openViewer } from "../measure/terminal-viewer.ts";
import type { Access } from "../measure/terminal-viewer.ts";

/** Views a flooding terminal while another terminal is measured. */
const { access, id } = workerData as { access: Access; id: string };
const viewer = await openViewer(access, id);
await viewer.until(1_000_000);
parentPort?.postMessage("flooded");
