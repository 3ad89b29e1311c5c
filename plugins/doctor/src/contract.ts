import { timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import type { DaemonFacts } from "@gantry/plugin";
import { FindingSchema } from "./finding.ts";

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
  /** SHA-256 over the files that run. */
  digest: z.string().nullable(),
});

/** A record that could not be read, of which the store keeps a copy. */
export const Quarantined = z
  .object({
    id: z.string(),
    plugin: z.string(),
    key: z.string(),
    reason: z.string(),
    at: timestamp.nullable(),
  })
  .meta({ id: "QuarantinedRecord" });

/** A file or folder that other users of the machine can open or change. */
const ExposedPath = z.object({
  path: z.string(),
  mode: z.string(),
  problem: z.enum(["open", "foreign", "link", "above"]),
});
/** A file or folder that other users of the machine can open or change. */
export type Exposed = z.infer<typeof ExposedPath>;

const Entry = z.object({
  seq: z.number().int(),
  at: timestamp,
  by: z.string(),
  action: z.string(),
  details: z.record(
    z.string(),
    z.union([z.string(), z.number(), z.boolean(), z.null()]),
  ),
  /** How many more times it happened within a minute. */
  again: z.number().int().nullable(),
});

/** The state of a daemon and of its home. A field that only a running daemon knows is `null` while none runs. */
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
        /** Where it can be reached from. */
        reach: z.enum(["this machine", "the network"]),
      }),
    ),
    /** `none` is plain HTTP. */
    tls: z.enum(["none", "self-signed", "configured"]),
    certificateEndsAt: timestamp.nullable(),
    /** Host names that it answers to; those of role `hook` serve webhooks and nothing else. */
    names: z.array(
      z.object({ name: z.string(), role: z.enum(["ui", "hook"]) }),
    ),
    mode: z.enum(["all", "loopback"]).nullable(),
    devices: z.array(Device).nullable(),
    /**
     * Files and folders of the home that other users can open (`open`), or that do not belong to its user (`foreign`,
     * `link`), and folders `above` it that other users can write to.
     */
    exposed: z.array(ExposedPath),
    plugins: z.array(Plugin),
    programs: z.array(
      z.object({ name: z.string(), path: z.string().nullable() }),
    ),
    storage: z.object({
      kind: z.string(),
      /** Free space on its disk. */
      freeBytes: z.number().nullable(),
      /** Why it cannot be read. */
      problem: z.string().nullable(),
      /** How many records of a later version were met since the start, and left unchanged. */
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
      /** The first place that was changed, or why nothing can be written. */
      problem: z.string().nullable(),
      latest: z.array(Entry),
    }),
    stalls: z.array(
      z.object({
        at: timestamp,
        ms: z.number(),
        cpuMs: z.number(),
        after: z.string(),
      }),
    ),
    findings: z.array(FindingSchema),
  })
  .meta({ id: "DoctorReport" });
/** The state of a daemon and of its home. A field that only a running daemon knows is `null` while none runs. */
export type DoctorReport = z.infer<typeof DoctorReport>;

/** What findings are concluded from. */
export interface ExaminedFacts extends DaemonFacts {
  exposed: Exposed[];
}
