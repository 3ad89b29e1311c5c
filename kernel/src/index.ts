export { createSystemClock, sleepOn } from "./clock/system-clock.ts";
export { loadConfig } from "./config/config.ts";
export type { Config } from "./config/config.ts";
export { errors } from "./errors.ts";
export { events } from "./events.ts";
export { startKernel } from "./kernel.ts";
export type { Kernel, KernelOptions } from "./kernel.ts";
export { restartKernel } from "./restart-kernel.ts";
export { createSqliteDriver } from "./store/sqlite-driver.ts";
