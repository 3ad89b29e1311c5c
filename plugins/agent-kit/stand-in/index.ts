// Shared parts of the stand-ins for agent CLIs: programs without a model that follow the markers in a prompt.
export { HUGE, readMarkers } from "./markers.ts";
export type { Marker } from "./markers.ts";
export {
  closeInput,
  flood,
  run,
  sleep,
  stayAlive,
  writeGarbage,
} from "./process-parts.ts";
