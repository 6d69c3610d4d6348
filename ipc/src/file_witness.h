// The file witness. See witness.h for the layout of its directory.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "files.h"
#include "pollux/ipc/witness.h"
#include "witness_files.h"

namespace pollux {

/// Epoch files kept, the newest included: enough for an operator to see what happened.
inline constexpr std::uint64_t witness_epochs_kept = 16;

class FileWitness : public Witness {
 public:
  FileWitness(std::filesystem::path directory, WitnessStep step)
      : directory_(std::move(directory)), step_(std::move(step)) {}
  ~FileWitness() override;

  /// Makes what is missing, reads the witness's id, prepares the spare file.
  Result<void> open();

  Answer read() override;
  Answer propose(const Configuration& next) override;
  Answer adopt(const WitnessView& refused, const Configuration& next) override;
  Result<void> raise_floor(const Configuration& configuration) override;

 private:
  /// What stands in the directory: the newest epoch, and its floor.
  struct Stand {
    Configuration configuration;  ///< epoch 0: none yet
    Epoch number;                 ///< of its file's name
    std::uint64_t floor_number = 0;
  };

  Result<void> make_directory();
  /// The directory as it is there now, and what a witness keeps in memory of it.
  Result<void> open_directory();
  /// Opens it again if another one is in its place.
  Result<void> find_directory();
  Result<void> learn_id(bool may_make);
  Result<Epoch> newest_epoch();
  Result<Stand> look();
  Result<Stand> look_inside();
  Result<std::optional<FloorFile>> read_floor(Epoch epoch);
  /// Puts `file` after what stands, if nobody else does.
  Answer take(const Stand& stand, EpochFile file);
  [[nodiscard]] WitnessView view_of(const Stand& stand) const;
  [[nodiscard]] Answer lost_or_won(const Stand& stand, const Configuration& next) const;
  [[nodiscard]] Answer in_doubt(const Error& error) const {
    return {WitnessSaid::Outcome::in_doubt, {}, error.text};
  }

  Result<void> prepare_spare();
  Result<void> write_spare(const std::string& text);
  [[nodiscard]] bool link_spare(std::string_view name) const;
  void drop_spare();
  void prune(Epoch newest);

  // Single steps on the disk, with the test's word before each. 0 or an errno.
  int step(std::string_view name) { return step_ ? step_(name) : 0; }
  int sync_file(int fd, std::string_view name);
  Result<void> sync_directory();
  [[nodiscard]] std::filesystem::path path(std::string_view name) const { return directory_ / name; }
  [[nodiscard]] std::unexpected<Error> failure(std::string_view did, const std::filesystem::path& file,
                                               int error) const;

  // Which file is damaged, and what to do.
  [[nodiscard]] std::unexpected<Error> damage(const std::filesystem::path& file) const;
  [[nodiscard]] std::unexpected<Error> id_damage(std::string_view what) const;

  std::filesystem::path directory_;
  WitnessStep step_;
  UniqueFd directory_fd_;
  WitnessId id_;
  Epoch durable_;           ///< this and older epochs are known to be durable
  std::string spare_name_;  ///< prepared file, not linked to an epoch; empty: none
  UniqueFd spare_;
  std::string broken_;  ///< why nothing here can be trusted any more
};

}  // namespace pollux
