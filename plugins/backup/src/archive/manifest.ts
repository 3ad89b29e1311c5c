import { timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { MAX_ARCHIVES } from "./limits.ts";
import { fileNameSchema, sha256Schema } from "./names.ts";

/** The newest format that is read, and the one that is written. */
export const FORMAT = 2;
/** Without links, empty folders and modes of folders. */
export const FORMAT_WITHOUT_LINKS = 1;

const size = z.int().min(0);
const namespaceName = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/);

/** A file of the snapshot's own folder, as it is stored. */
const storedFile = z.strictObject({
  name: fileNameSchema,
  sha256: sha256Schema,
  bytes: size,
});

const archive = storedFile.extend({
  /** Plugin's id or `kernel`; `null` for the files of the home itself. */
  namespace: namespaceName.nullable(),
  unpackedBytes: size,
  /** Files in the archive. */
  entries: size,
  /** Of the only file in an archive of the store, by which the next snapshot knows what did not change; `null` for the home's. */
  contentSha256: sha256Schema.nullable(),
});

const namespace = z.strictObject({
  name: namespaceName,
  /** Index entries of collections are in `entries` and not in `records`. */
  entries: size,
  records: size,
  bytes: size,
  /** By what is between the first and the second `:` of a key. */
  collections: z
    .array(
      z.strictObject({ name: z.string().max(64), records: size, bytes: size }),
    )
    .max(200),
});

/** What a snapshot says of itself: `manifest.json`. */
export const manifestSchema = z.strictObject({
  format: z.literal([FORMAT_WITHOUT_LINKS, FORMAT]),
  id: z.string().regex(/^[a-z]+_[a-z2-7]{24}$/),
  createdAt: timestamp,
  reason: z.enum(["scheduled", "manual", "safety"]),
  gantryVersion: z.string().max(100),
  /** Versions of the plugins, by id. */
  plugins: z.record(namespaceName, z.string().max(100)),
  /** Public key that all is encrypted to; `null` if nothing is. */
  recipient: z.string().max(200).nullable(),
  isEncrypted: z.boolean(),
  hasTranscripts: z.boolean(),
  hasSecrets: z.boolean(),
  archives: z.array(archive).max(MAX_ARCHIVES),
  namespaces: z.array(namespace).max(1_000),
  files: z.strictObject({
    /** Names, sizes and pieces of all files. */
    list: storedFile.extend({ unpackedBytes: size }),
    /** Digests of all pieces, never encrypted. */
    pieceList: storedFile,
    count: size,
    bytes: size,
    pieces: size,
    /** Of all its pieces as they are stored, those that are shared with other snapshots included. */
    storedBytes: size,
    byPlugin: z
      .array(
        z.strictObject({ plugin: namespaceName, files: size, bytes: size }),
      )
      .max(1_000),
  }),
  /** Settings in `config.json` that were left out as secrets, as JSON pointers. */
  withheld: z.array(z.string().max(1_000)).max(1_000),
  /** How many files could not be copied, and the first of them. */
  leftOut: size,
  notes: z
    .array(
      z.strictObject({
        path: z.string().max(1_100),
        reason: z.string().max(200),
      }),
    )
    .max(50),
  records: size,
  /** What it added to the backup folder. */
  ownBytes: size,
  /** Of all that it holds, before compression. */
  contentBytes: size,
});
export type Manifest = z.infer<typeof manifestSchema>;
