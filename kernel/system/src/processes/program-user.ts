import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { errors } from "../errors.ts";

/** Lists the users of the system, including those of a directory service. */
const USERS_FILE = "/etc/passwd";

/**
 * Variables of the daemon that a program of another user may inherit: they contain no secrets and no folders of the
 * daemon's user.
 */
const HARMLESS = /^(PATH|TZ|LANG|LANGUAGE|LC_[A-Z]+)$/;

/** A system user that a program runs as. */
export interface ProgramUser {
  name: string;
  uid: number;
  gid: number;
  home: string;
}

/** The error for a program that cannot be started. `reason` ends a sentence. */
export function notStarted(
  program: string,
  reason: string,
  cause?: unknown,
): Error {
  const values = { name: basename(program), reason };
  return errors.PROCESS_NOT_STARTED(values, { cause });
}

/**
 * Finds the user that a program runs as, `undefined` for the daemon's own.
 *
 * @param program Path of the program, for the message.
 * @throws `PROCESS_NOT_STARTED` if there is no such user, or the daemon cannot switch to it because it does not run as
 * root
 */
export async function findOtherUser(
  name: string | undefined,
  program: string,
): Promise<ProgramUser | undefined> {
  if (name === undefined) return undefined;
  const user = findUser(
    await readFile(USERS_FILE, "utf8").catch(() => ""),
    name,
  );
  if (!user)
    throw notStarted(program, `there is no user "${name}" on this system`);
  const own = process.geteuid?.();
  if (user.uid === own) return undefined;
  if (own !== 0)
    throw notStarted(program, `only root can run it as the user "${name}"`);
  return user;
}

/** The variables of a program that runs as another user. */
export function toUserEnvironment(
  environment: NodeJS.ProcessEnv,
  { name, home }: ProgramUser,
): NodeJS.ProcessEnv {
  const entries = Object.entries(environment);
  return {
    ...Object.fromEntries(entries.filter(([each]) => HARMLESS.test(each))),
    HOME: home,
    USER: name,
    LOGNAME: name,
  };
}

function findUser(users: string, wanted: string): ProgramUser | undefined {
  for (const line of users.split("\n")) {
    const [name, , uid, gid, , home = "/"] = line.split(":");
    if (name !== wanted || !/^\d+$/.test(`${uid}`) || !/^\d+$/.test(`${gid}`))
      continue;
    return { name, uid: Number(uid), gid: Number(gid), home };
  }
  return undefined;
}
