import { extname } from "node:path";

const MAX_STEM_LENGTH = 150;
const MAX_EXTENSION_LENGTH = 20;
/** Names of devices on Windows, to which a file may be moved. */
const DEVICE_NAME = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/iu;

/** Turns the file name that a site suggests into one that is safe in any folder; never empty. */
export function cleanFileName(suggested: string): string {
  const name = suggested
    .normalize("NFC")
    .replace(/^.*[/\\]/su, "")
    // Characters that cannot be seen disguise a program as a picture.
    .replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}<>:"|?*]/gu, "")
    .replace(/^[.\s]+|[.\s]+$/gu, "");
  const extension = extname(name).slice(0, MAX_EXTENSION_LENGTH);
  const stem = name.slice(0, name.length - extname(name).length);
  const short = (stem.slice(0, MAX_STEM_LENGTH) + extension).toWellFormed();
  if (short === "") return "download";
  return DEVICE_NAME.test(short) ? `_${short}` : short;
}
