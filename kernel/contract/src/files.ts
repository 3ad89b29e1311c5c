export { removeLeftDrafts } from "./left-drafts.ts";
export { cannotLink, flush, linkOrCopy, placeFile } from "./place-file.ts";
export type { PlaceFault, PlaceOptions } from "./place-file.ts";
export { replaceFile } from "./replace-file.ts";
