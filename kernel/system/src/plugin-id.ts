/** Ids under which the kernel and the system plugins keep their own. */
const RESERVED_IDS: readonly string[] = ["auth", "doctor", "kernel", "shell"];

/** Whether an id is the kernel's own, so that no plugin can have it. */
export const isReservedId = (id: string) => RESERVED_IDS.includes(id);

/** Whether a text has the shape of a plugin id: kebab-case, 40 characters. */
export const isPluginId = (id: string) => /^[a-z][a-z0-9-]{0,39}$/.test(id);
