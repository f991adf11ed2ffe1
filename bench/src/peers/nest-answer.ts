import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { serveQuestions } from './serve-questions';

/** Nest on Express as it comes, with a handler that does nothing. */
@Controller('api/v1/jobs')
class EmptyController {
  @Get(':id')
  get(): void {}
}

@Module({ controllers: [EmptyController] })
class EmptyModule {}

serveQuestions(async () => {
  const app = await NestFactory.create<NestExpressApplication>(EmptyModule, { logger: ['error', 'warn'] });
  await app.listen(0, '127.0.0.1');
  return `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}/api/v1/jobs/any`;
});
