// The entry `reftable/protocol`: serving refs to clients of Git.

export { advertiseRefs, type RefAdvertisement } from './advertisement.ts';
export type { ProtocolVersion } from './git-upload-pack.ts';
export { type HttpHandler, type HttpHandlerOptions, httpHandler } from './http-handler.ts';
export { answerLsRefs, type LsRefsRequest, readLsRefsArguments } from './ls-refs.ts';
export type { Output } from './output.ts';
export { DELIMITER, FLUSH, type Packet, PktLineReader, pktLine, textOf } from './pkt-line.ts';
export { requestedVersion } from './protocol-version.ts';
export { repositoriesIn } from './repository-folder.ts';
export { type ServedRefs, type ServedRefsOptions, servedRefs } from './served-refs.ts';
export { enterRepository, type ServedRepository, serveRepository } from './served-repository.ts';
export { uploadPackServer } from './server.ts';
export { type UploadPackOptions, uploadPack } from './upload-pack.ts';
