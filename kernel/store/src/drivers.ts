import type { Driver } from "unstorage";
import { ConfigError } from "@gantry/system/user-error";
import type { Home } from "@gantry/system/home/home";
import type { SyncFile } from "./log-flusher.ts";
import { createSqliteDriver } from "./sqlite-driver.ts";

/** Where records are stored: in the home, or with any unstorage driver. */
export type StorageSettings =
  | "sqlite"
  | {
      /** `redis`, `postgresql`, or the module name of a driver. */
      driver: string;
      options?: Record<string, unknown> | undefined;
    };

/** Short names of drivers that unstorage brings. */
const KNOWN: Record<string, string> = { redis: "unstorage/drivers/redis" };

type DriverFactory = (options: Record<string, unknown>) => Driver;

/**
 * Opens the storage that the configuration names: our own in the home, or any unstorage driver by module name.
 *
 * @throws ConfigError if the module is not there
 */
export async function openDriver(
  storage: StorageSettings,
  home: Home,
  sync?: SyncFile,
): Promise<Driver> {
  if (storage === "sqlite") return createSqliteDriver(home.database, sync);
  if (storage.driver === "postgresql")
    return openPostgresql(storage.options ?? {});
  const module = KNOWN[storage.driver] ?? storage.driver;
  const factory = await load<DriverFactory>(module);
  return factory(storage.options ?? {});
}

async function openPostgresql(
  options: Record<string, unknown>,
): Promise<Driver> {
  const { createDatabase } = (await import(optional("db0"))) as {
    createDatabase: (connector: unknown) => unknown;
  };
  const connector = await load<(options: unknown) => unknown>(
    "db0/connectors/postgresql",
  );
  const factory = await load<DriverFactory>("unstorage/drivers/db0");
  return factory({ database: createDatabase(connector(options)) });
}

async function load<Module>(name: string): Promise<Module> {
  try {
    return ((await import(optional(name))) as { default: Module }).default;
  } catch (cause) {
    throw new ConfigError(
      `The storage module "${name}" cannot be loaded; install it beside the daemon.`,
      { cause },
    );
  }
}

/** A name that the bundler must leave alone: the module is the user's own. */
function optional(name: string): string {
  return name;
}
