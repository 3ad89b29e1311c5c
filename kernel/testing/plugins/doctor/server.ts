// The plugin from its sources, for daemons that run from theirs.
export { default } from "@gantry/plugin-doctor";
