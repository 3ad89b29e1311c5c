import type { QuarantinedRecord } from "@gantry/plugin";
import { timestamp } from "@gantry/plugin/zod";
import * as z from "zod";

/** How much something matters: `high` needs a fix now, `medium` should be known, `low` is good to know. */
export const severities = ["high", "medium", "low"] as const;

/** One thing that is not as it should be, and what to do about it in one sentence. */
export const Finding = z
  .object({
    severity: z.enum(severities),
    /** Never renamed, since people watch for it. */
    code: z.string(),
    what: z.string(),
    fix: z.string(),
  })
  .meta({ id: "Finding" });
export type Finding = z.infer<typeof Finding>;

const Device = z.object({
  id: z.string(),
  device: z.string(),
  address: z.string(),
  createdAt: timestamp,
  lastSeenAt: timestamp,
  online: z.boolean(),
});

const Plugin = z.object({
  id: z.string(),
  package: z.string().nullable(),
  version: z.string(),
  /** Delivered with the daemon, or added to this home. */
  origin: z.enum(["bundled", "installed"]),
  state: z.string(),
  reason: z.string().nullable(),
  /** Errors that its code did not catch since the daemon started; 0 where none runs. */
  faults: z.number().int(),
  /** SHA-256 over the files that run. */
  digest: z.string().nullable(),
});

/** A record that could not be read, of which a copy is kept. */
export const Quarantined = z
  .object({
    id: z.string(),
    plugin: z.string(),
    key: z.string(),
    reason: z.string(),
    at: timestamp.nullable(),
  })
  .meta({ id: "QuarantinedRecord" });

const Entry = z.object({
  seq: z.number().int(),
  at: timestamp,
  by: z.string(),
  action: z.string(),
  details: z.record(
    z.string(),
    z.union([z.string(), z.number(), z.boolean(), z.null()]),
  ),
  /** So often it happened again within a minute. */
  again: z.number().int().nullable(),
});

/** Everything that is known of how a daemon stands. What a daemon that does not run would know is `null`. */
export const DoctorReport = z
  .object({
    at: timestamp,
    version: z.string(),
    node: z.string(),
    platform: z.string(),
    home: z.string(),
    daemon: z
      .object({ pid: z.number().int(), url: z.string(), startedAt: timestamp })
      .nullable(),
    listening: z.array(
      z.object({
        address: z.string(),
        port: z.number().int(),
        /** Who can reach it. */
        reach: z.enum(["this machine", "the network"]),
      }),
    ),
    /** `none` is plain HTTP. */
    tls: z.enum(["none", "self-signed", "configured"]),
    certificateEndsAt: timestamp.nullable(),
    /** Names that requests may come under; those of role `hook` serve webhooks and nothing else. */
    names: z.array(
      z.object({ name: z.string(), role: z.enum(["ui", "hook"]) }),
    ),
    mode: z.enum(["all", "loopback"]).nullable(),
    devices: z.array(Device).nullable(),
    /**
     * Files and folders of the home that others can open (`open`), or that are not its user's own (`foreign`, `link`),
     * and folders `above` it that others can write to.
     */
    exposed: z.array(
      z.object({
        path: z.string(),
        mode: z.string(),
        problem: z.enum(["open", "foreign", "link", "above"]),
      }),
    ),
    plugins: z.array(Plugin),
    programs: z.array(
      z.object({ name: z.string(), path: z.string().nullable() }),
    ),
    storage: z.object({
      kind: z.string(),
      /** Room on its disk. */
      freeBytes: z.number().nullable(),
      /** What is wrong with it. */
      problem: z.string().nullable(),
      /** Records of a later version that were met since the start, and left alone. */
      tooNew: z.number().int().nullable(),
    }),
    quarantine: z
      .object({
        count: z.number().int(),
        items: z.array(Quarantined),
      })
      .nullable(),
    audit: z.object({
      state: z.enum(["intact", "broken", "empty"]),
      entries: z.number().int(),
      /** The first place that is wrong, or why nothing can be written. */
      problem: z.string().nullable(),
      latest: z.array(Entry),
    }),
    /** Periods in which the event loop was blocked. */
    stalls: z.array(
      z.object({
        /** When it was over. */
        at: timestamp,
        ms: z.number(),
        /** Processor time of the daemon meanwhile; if it is little, the machine was busy or stopped the daemon. */
        cpuMs: z.number(),
        /** What had begun shortly before: requests, and plugins whose code ran. */
        after: z.string(),
      }),
    ),
    findings: z.array(Finding),
  })
  .meta({ id: "DoctorReport" });
export type DoctorReport = z.infer<typeof DoctorReport>;

/** What was looked at, before anything is concluded from it. */
export type Seen = Omit<DoctorReport, "findings">;

/** A record in quarantine as the report shows it. */
export const toQuarantined = ({
  id,
  owner,
  key,
  reason,
  at,
}: QuarantinedRecord): z.infer<typeof Quarantined> => ({
  id,
  plugin: owner,
  key,
  reason,
  at,
});
