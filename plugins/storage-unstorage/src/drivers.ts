import type { Driver } from "unstorage";
import { ModuleMissingError } from "./user-error.ts";

/** Any unstorage driver. */
export interface DriverSettings {
  /** `redis`, `postgresql`, or the module name of a driver. */
  driver: string;
  options?: Record<string, unknown> | undefined;
}

/** Short names of drivers that unstorage brings. */
const KNOWN: Record<string, string> = { redis: "unstorage/drivers/redis" };

type DriverFactory = (options: Record<string, unknown>) => Driver;

/**
 * Opens the driver that the configuration names.
 *
 * @throws ModuleMissingError if the module is not there
 */
export async function openDriver({
  driver,
  options = {},
}: DriverSettings): Promise<Driver> {
  if (driver === "postgresql") return openPostgresql(options);
  const factory = await load<DriverFactory>(KNOWN[driver] ?? driver);
  return factory(options);
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
    throw new ModuleMissingError(name, { cause });
  }
}

/** A name that the bundler must leave alone: the module is the user's own. */
function optional(name: string): string {
  return name;
}
