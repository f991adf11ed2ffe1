import type { LanguageList } from '@currawong/contracts';
import { Controller, Get, UseGuards } from '@nestjs/common';
import { CallerGuard } from '../http/caller';
import { versioned } from '../http/versioned';
import { languageList, Languages } from './languages';

@Controller(versioned('languages'))
@UseGuards(CallerGuard)
export class LanguagesController {
  constructor(private readonly languages: Languages) {}

  @Get()
  async list(): Promise<LanguageList> {
    return languageList(await this.languages.accepted());
  }
}
