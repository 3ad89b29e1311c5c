import { expect, test } from "vitest";
import { refusalOf } from "@gantry/system/outbound/address-guard";

const METADATA = [
  "169.254.169.254",
  "169.254.0.1",
  "169.254.255.255",
  "fe80::1",
  "febf::1",
  "fd00:ec2::254",
  "fd00:0ec2:0:0:0:0:0:254",
  "::ffff:169.254.169.254",
  "::ffff:a9fe:a9fe",
  "::FFFF:A9FE:A9FE",
  "0:0:0:0:0:ffff:a9fe:a9fe",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b::169.254.169.254",
  "0064:ff9b:0:0:0:0:a9fe:a9fe",
  "::169.254.169.254",
  "::a9fe:a9fe",
  "2002:a9fe:a9fe::",
  "2002:a9fe:a9fe::1",
  "64:ff9b:1::a9fe:a9fe",
  "100.100.100.200",
  "168.63.129.16",
  "192.0.0.192",
  "fd20:ce::254",
  "fe80::1%eth0",
];
const PRIVATE = [
  "0.0.0.0",
  "10.0.0.1",
  "10.255.255.255",
  "100.64.0.1",
  "100.127.255.255",
  "127.0.0.1",
  "127.255.255.255",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.0.1",
  "::",
  "::1",
  "fc00::1",
  "fec0::1",
  "fdff::1",
  "::ffff:127.0.0.1",
  "::ffff:10.0.0.1",
  "64:ff9b::a00:1",
  "2002:a00:1::",
];
const PUBLIC = [
  "1.1.1.1",
  "8.8.8.8",
  "169.253.255.255",
  "169.255.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.167.255.255",
  "11.0.0.0",
  "2606:4700:4700::1111",
  "fbff::1",
  "fe7f::1",
  "::ffff:8.8.8.8",
  "64:ff9b::808:808",
  "2002:808:808::1",
];

test.each(METADATA)(
  "%s, where clouds keep their credentials, is never called",
  (address) => {
    expect(refusalOf(address, { allowPrivate: true })).toBeDefined();
    expect(refusalOf(address, { allowPrivate: false })).toBeDefined();
  },
);

test.each(PRIVATE)(
  "%s is called only where private networks may be",
  (address) => {
    expect(refusalOf(address, { allowPrivate: true })).toBeUndefined();
    expect(refusalOf(address, { allowPrivate: false })).toBeDefined();
  },
);

test.each(PUBLIC)("%s is called", (address) => {
  expect(refusalOf(address, { allowPrivate: false })).toBeUndefined();
});

test.each([
  "",
  "localhost",
  "1.2.3",
  "1.2.3.4.5",
  "::g",
  "169.254.169.254:80",
  "0xa9fea9fe",
  "1.2.3.4/8",
])("%s is no address", (text) => {
  expect(refusalOf(text, { allowPrivate: true })).toBe("it has no address");
});
